import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

type Result = Awaited<ReturnType<NonNullable<AppBridge["oncalltool"]>>>;
type Context = NonNullable<ConstructorParameters<typeof AppBridge>[3]>["hostContext"];

interface Opened {
  readonly context: Context;
  /** Missing if the host lets pages call no tools. */
  readonly serverTools: boolean;
  readonly input: Record<string, unknown>;
  readonly result: Result;
}

declare global {
  interface Window {
    /** Calls a tool of the server, in the test. */
    callServer: (params: {
      name: string;
      arguments?: Record<string, unknown> | undefined;
    }) => Promise<Result>;
    /** Tells the test what the page asked of the host. */
    heard: (request: { method: string; params: unknown }) => Promise<void>;
    openView: (opened: Opened) => Promise<void>;
    changeContext: (context: NonNullable<Context>) => void;
  }
}

window.openView = async ({ context, serverTools, input, result }) => {
  const frame = document.querySelector("iframe");
  if (!frame?.contentWindow) throw new Error("The page has no frame");
  const capabilities = { downloadFile: {}, openLinks: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(
    null,
    { name: "test-host", version: "1" },
    { ...capabilities, ...(serverTools && { serverTools: {} }) },
    { ...(context && { hostContext: context }) },
  );
  bridge.oncalltool = (params) => window.callServer(params);
  bridge.ondownloadfile = async (params) => {
    await window.heard({ method: "download", params });
    return {};
  };
  bridge.onopenlink = async (params) => {
    await window.heard({ method: "link", params });
    return {};
  };
  bridge.onupdatemodelcontext = async (params) => {
    await window.heard({ method: "context", params });
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    await window.heard({ method: "mode", params: mode });
    return { mode };
  };
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  });
  bridge.addEventListener("initialized", () => {
    void bridge.sendToolInput({ arguments: input }).then(() => bridge.sendToolResult(result));
  });
  window.changeContext = (changed) => bridge.setHostContext({ ...context, ...changed });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = "/view";
};
