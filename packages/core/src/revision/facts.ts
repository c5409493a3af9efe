import type { Era } from "../model/capabilities.ts";

/** Which members each kind of object has. What is not listed is never sent. */
export interface FieldLists {
  readonly implementation: readonly string[];
  readonly tool: readonly string[];
  readonly resource: readonly string[];
  readonly resourceTemplate: readonly string[];
  readonly prompt: readonly string[];
  readonly promptArgument: readonly string[];
  readonly annotations: readonly string[];
  /** Text, image and audio blocks, and embedded resources. */
  readonly content: readonly string[];
  readonly resourceLink: readonly string[];
  readonly resourceContents: readonly string[];
  readonly samplingMessage: readonly string[];
}

/** Everything in which one protocol revision differs from the others, as data. */
export interface RevisionFacts {
  readonly version: string;
  readonly era: Era;
  readonly hasBatches: boolean;
  readonly primesStreams: boolean;
  /** Requests a client may send. */
  readonly methods: readonly string[];
  readonly fields: FieldLists;
  readonly contentKinds: readonly string[];
  readonly structuredContent: "none" | "object" | "any";
  readonly serverCapabilities: readonly string[];
  /** What a client may declare, down to the second level: anything else counts as not declared. */
  readonly clientCapabilities: { readonly [capability: string]: readonly string[] };
  /** Which extensions either side may declare: some by name, or any. */
  readonly extensions: readonly string[] | "any";
  readonly hasProgressMessage: boolean;
  readonly elicitation: ElicitationFacts;
  /** Several content blocks in one message, and tools for the model. */
  readonly hasRichSampling: boolean;
  readonly errorCodes: { readonly [neutral: number]: number };
}

export interface ElicitationFacts {
  readonly hasMode: boolean;
  readonly hasElicitationId: boolean;
  /** Defaults other than a boolean's, titled choices, several choices at once. */
  readonly hasRichForms: boolean;
}
