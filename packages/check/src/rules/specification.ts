import { error, note, practice, type Rule, warning } from "./rule.ts";

/** What the specification asks of every message. */
const BASE: Readonly<Record<string, Rule>> = {
  "base/jsonrpc-member": error(
    "2026-07-28/basic/index#messages",
    'Every message has the member jsonrpc with the string "2.0".',
    "Let a JSON-RPC library or an SDK write the envelope.",
  ),
  "base/response-result-xor-error": error(
    "2026-07-28/basic/index#responses",
    "A response has a result or an error, and never both.",
    "Return one of the two.",
  ),
  "base/error-code-and-message": error(
    "2026-07-28/basic/index#error-responses",
    "An error has an integer code and a message that is a string.",
    "Use the codes of JSON-RPC, such as -32602 for wrong params.",
  ),
  "base/error-message-concise": note(
    "2026-07-28/schema#error",
    "The message of an error is one short sentence.",
    "Move details into the member data.",
  ),
  "base/response-echoes-id": error(
    "2026-07-28/basic/index#responses",
    "A response has the id of its request, with the same type, and a request has one response.",
    'Copy the id as it came: 1 and "1" are two ids.',
  ),
  "base/notification-without-id": error(
    "2026-07-28/basic/index#notifications",
    "A notification has no id.",
    "Leave the id out.",
  ),
  "base/own-request-ids": error(
    "2025-11-25/basic/index#requests",
    "Each request of the server has a string or integer as its id that it has not used before.",
    "Count upwards.",
  ),
  "base/no-server-requests": error(
    "2026-07-28/basic/patterns/index",
    "Since 2026-07-28 a server sends no requests of its own.",
    "Ask in a result of type input_required.",
  ),
  "base/result-type-known": error(
    "2026-07-28/basic/index#resulttype",
    "Since 2026-07-28 every result says in resultType whether it is complete or asks for input.",
    'Add resultType: "complete".',
  ),
  "base/codes-reserved-range": error(
    "2026-07-28/basic/index#error-codes",
    "Since 2026-07-28 codes from -32768 to -32000 are used only as the specification defines them.",
    "Use a defined code, or one outside that range.",
  ),
  "base/unknown-method": error(
    "2026-07-28/basic/index#messages",
    "A request for a method that is not there gets the error -32601.",
    "Answer unknown methods with -32601 and go on.",
  ),
  "base/parse-error": warning(
    "2026-07-28/basic/index#messages",
    "What is not JSON is answered with -32700.",
    "Answer a line that cannot be parsed with -32700 and read the next.",
  ),
  "base/invalid-request": warning(
    "2026-07-28/basic/index#messages",
    "JSON that is no message of JSON-RPC is answered with -32600, and is not carried out.",
    "Check jsonrpc, method and params before anything else.",
  ),
  "base/unusable-request-id-refused": warning(
    "2026-07-28/basic/index#requests",
    "The id of a request is a string or an integer: with any other it is not carried out.",
    "Refuse such a request with -32600.",
  ),
  "meta/server-info-in-results": warning(
    "2026-07-28/basic/index#meta",
    "Since 2026-07-28 results carry the server's name and version in _meta.",
    "Add io.modelcontextprotocol/serverInfo to _meta.",
  ),
  "versioning/unsupported-version-error": error(
    "2026-07-28/basic/versioning#protocol-version-negotiation",
    "A request in a revision that the server does not speak gets -32022 with those that it speaks.",
    "Look at protocolVersion in _meta of each request.",
  ),
  "lifecycle/respects-negotiated-version": note(
    "2025-11-25/basic/lifecycle#operation",
    "What a server says is of the revision that was agreed on.",
    "Leave out fields that the client's revision does not define.",
  ),
  "lifecycle/only-negotiated-capabilities": error(
    "2025-11-25/basic/lifecycle#operation",
    "A server uses the capabilities that it has declared, and no others.",
    "Declare the capability, or stop using it.",
  ),
  "lifecycle/declared-is-there": error(
    "2025-11-25/basic/lifecycle#capability-negotiation",
    "What a server declares it can do.",
    "Answer the lists of declared capabilities, even if they are empty, or do not declare them.",
  ),
  "ping/answered": error(
    "2025-11-25/basic/utilities/ping#behavior-requirements",
    "A ping is answered at once with an empty result.",
    "Answer {}.",
  ),
  "schema/messages": error(
    "2026-07-28/schema",
    "Every message fits the official JSON schema of its revision.",
    "Compare it with the definition that is named.",
  ),
  "schema/valid": error(
    "2026-07-28/basic/index#schema-validation",
    "The schemas of tools are valid by their dialect.",
    "Check them with a validator of JSON Schema 2020-12, or declare $schema.",
  ),
};

const STDIO: Readonly<Record<string, Rule>> = {
  "stdio/stdout-only-messages": error(
    "2026-07-28/basic/transports/stdio",
    "Standard output carries messages and nothing else.",
    "Print to standard error: look for console.log, print and libraries that greet.",
  ),
  "stdio/newline-delimited": error(
    "2026-07-28/basic/transports/stdio",
    "Every message ends with a newline.",
    "Wait until all is written before the process ends.",
  ),
  "stdio/exit-on-eof": warning(
    "2026-07-28/basic/transports/stdio#shutdown",
    "A server ends when its standard input ends.",
    'Listen to the end of standard input ("end" of process.stdin), and close what keeps the process alive.',
  ),
  "stdio/exit-code": practice(
    "note",
    "A server that was told to end by the end of its input ends with exit code 0.",
    "Hosts report other codes as crashes.",
  ),
};

const HTTP: Readonly<Record<string, Rule>> = {
  "http/origin-validated": error(
    "2026-07-28/basic/transports/streamable-http#security-endpoint",
    "A request that a page of another site sends is not served.",
    "Refuse requests whose Origin is not one of yours with 403: browsers let any site reach local servers.",
  ),
};

const TOOLS: Readonly<Record<string, Rule>> = {
  "tools/input-schema-object": error(
    "2026-07-28/server/tools#tool",
    "The arguments of a tool are an object.",
    'Give inputSchema type "object".',
  ),
  "tools/name-shape": warning(
    "2026-07-28/server/tools#tool-names",
    "Tools are named with 1 to 128 letters, digits, underscores, hyphens and dots.",
    "Rename the tool: many hosts refuse other names.",
  ),
  "tools/name-unique": warning(
    "2026-07-28/server/tools#tool-names",
    "No two tools have the same name.",
    "Rename one: clients call the first or the last of them.",
  ),
  "tools/deterministic-order": warning(
    "2026-07-28/server/tools#capabilities",
    "The list of tools is the same each time, in the same order.",
    "Sort it: hosts cache what precedes a conversation, and a change makes them pay again.",
  ),
  "tools/structured-content-conforms": error(
    "2026-07-28/server/tools#output-schema",
    "A tool with an outputSchema gives structuredContent that fits it.",
    "Check results against the schema in tests.",
  ),
  "tools/structured-content-as-text": warning(
    "2026-07-28/server/tools#structured-content",
    "A structured result is also given as text, for clients that show only that.",
    "Add a text block with the JSON, or with the same in words.",
  ),
  "tools/unknown-tool-is-invalid-params": warning(
    "2026-07-28/server/tools#error-handling",
    "A call of a tool that is not there gets the error -32602.",
    "Look the tool up before anything else.",
  ),
  "tools/inputs-validated": error(
    "2026-07-28/server/tools#security-considerations",
    "A server checks the arguments of every call.",
    "Check them against inputSchema before the tool runs.",
  ),
  "tools/bad-arguments": warning(
    "2026-07-28/server/tools#error-handling",
    "Wrong arguments are a result with isError, which a model can read, or the error -32602.",
    "Catch what the validator throws and say which argument is wrong.",
  ),
};

const OTHERS: Readonly<Record<string, Rule>> = {
  "lists/unique": practice(
    "note",
    "No two entries of a list have the same name or URI.",
    "Clients keep one of them: remove or rename the other.",
  ),
  "pagination/invalid-cursor": warning(
    "2026-07-28/server/utilities/pagination#error-handling",
    "A cursor that the server has not given gets the error -32602.",
    "Check cursors; a server without pages may refuse all of them.",
  ),
  "pagination/ends": error(
    "2026-07-28/server/utilities/pagination#pagination-model",
    "Following nextCursor leads to the end of a list.",
    "Leave nextCursor out on the last page.",
  ),
  "resources/contents": error(
    "2026-07-28/server/resources#resource-contents",
    "Each of the contents of a resource is text or bytes.",
    "Give text or blob, and not both.",
  ),
  "resources/readable": practice(
    "note",
    "What is listed can be read.",
    "List what is there, or say in the error why it cannot be read.",
  ),
  "resources/not-found-code": warning(
    "2025-11-25/server/resources#error-handling",
    "Until 2025-11-25, reading what is not there gets the error -32002.",
    "Use -32002 in these revisions.",
  ),
  "resources/not-found-is-invalid-params": error(
    "2026-07-28/server/resources#error-handling",
    "Since 2026-07-28, reading what is not there gets the error -32602.",
    "Use -32602 in this revision.",
  ),
  "resources/template-syntax": error(
    "2026-07-28/server/resources#resource-templates",
    "A URI template is one of RFC 6570.",
    "Check braces and operators.",
  ),
  "resources/template-variables": practice(
    "note",
    "A template has a variable: without one it is a resource.",
    "List it as a resource.",
  ),
  "resources/subscribe": error(
    "2025-11-25/server/resources#subscriptions",
    "A server that declares subscriptions takes them.",
    "Answer resources/subscribe and resources/unsubscribe, or do not declare them.",
  ),
  "prompts/messages": error(
    "2026-07-28/server/prompts#getting-a-prompt",
    "A prompt gives messages.",
    "Return a list, even if it is empty.",
  ),
  "prompts/missing-argument": warning(
    "2026-07-28/server/prompts#error-handling",
    "A prompt without an argument that it requires gets the error -32602.",
    "Check the arguments that are declared as required.",
  ),
  "prompts/unknown-name": warning(
    "2026-07-28/server/prompts#error-handling",
    "A prompt that is not there gets the error -32602.",
    "Look the prompt up before anything else.",
  ),
  "completion/answered": practice(
    "note",
    "What can be completed gets suggestions, or an empty list.",
    "Answer with an empty list where nothing is known.",
  ),
  "completion/at-most-100-values": error(
    "2026-07-28/schema#completeresult",
    "There are at most 100 suggestions at once.",
    "Cut the list, and say the total.",
  ),
  "logging/set-level": error(
    "2025-11-25/server/utilities/logging#setting-log-level",
    "A server that declares logging takes every level.",
    "Answer logging/setLevel, or do not declare logging.",
  ),
  "logging/set-level-invalid": warning(
    "2026-07-28/server/utilities/logging#error-handling",
    "A level that does not exist gets the error -32602.",
    "Check it against the eight levels.",
  ),
  "progress/token-of-active-request": error(
    "2026-07-28/basic/patterns/progress#behavior-requirements",
    "Progress names the token of a request that is in flight.",
    "Stop reporting once the request is answered.",
  ),
  "progress/increases": error(
    "2026-07-28/basic/patterns/progress#progress-flow",
    "The number of a progress notification is larger than the one before.",
    "Report only when something was done.",
  ),
  "cancellation/survived": error(
    "2026-07-28/basic/patterns/cancellation#error-handling",
    "After a cancellation the server goes on as before.",
    "A request that cannot be stopped may run on; others must be answered.",
  ),
};

/** What the specification asks for, and what its features need to be of use. */
export const SPECIFICATION: Readonly<Record<string, Rule>> = {
  ...BASE,
  ...STDIO,
  ...HTTP,
  ...TOOLS,
  ...OTHERS,
};
