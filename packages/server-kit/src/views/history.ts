import { button, count, facts, h, outside } from "./elements.ts";
import { showProposal } from "./proposal.ts";
import { dataOf, type Fields, openView, type Page, type Shown } from "./view.ts";

/** As the undo tools list them. */
interface Entry {
  readonly id: string;
  readonly time?: string;
  readonly tool: string;
  readonly summary: string;
  readonly paths?: readonly string[];
  readonly tables?: readonly string[];
  readonly paths_total?: number;
  readonly undone?: true;
  readonly interrupted?: true;
  readonly reason?: string;
}

const MOST = 100;

openView({
  name: "history",
  show(shown, page) {
    const { changes } = shown.result;
    if (Array.isArray(changes)) showHistory(shown, changes as readonly Entry[], page);
    else showProposal(shown, page);
  },
});

function showHistory({ tool, input, result }: Shown, changes: readonly Entry[], page: Page): void {
  const { host } = page;
  const canAct = host.can("serverTools") && tool !== undefined;
  const reload = (limit: Fields): Promise<void> =>
    page.attempt("Loading …", async () => {
      const given = { ...input, ...limit };
      const again = dataOf(await host.callTool(tool ?? "", given));
      showHistory({ tool, input: given, result: again }, again["changes"] as readonly Entry[], page);
    });
  const isMore = result["truncated"] === true || Number(result["total"] ?? 0) > changes.length;
  const where = Object.fromEntries(
    Object.entries(input).filter(([name]) => name === "repo_path" || name === "database"),
  );
  const look = (entry: Entry, place: HTMLElement): Promise<void> =>
    page.attempt("Looking what it would change …", async () => {
      const asked = { ...where, id: entry.id };
      const answer = await host.callTool(tool ?? "", { ...asked, dry_run: true });
      try {
        showProposal({ tool, input: asked, result: dataOf(answer) }, page, place);
      } catch (thrown) {
        place.replaceChildren(h("p", { role: "alert", class: "status bad" }, (thrown as Error).message));
      }
    });
  const about =
    changes.length === 0 ? "" : `${count(changes.length, "change")}${isMore ? " so far" : ""}, newest first.`;
  page.show(
    changes.length === 0 ? "Nothing has been changed" : "What was changed",
    about,
    h("ol", { class: "history" }, ...changes.map((entry) => toItem(entry, canAct ? look : undefined))),
    canAct
      ? h(
          "div",
          { class: "actions" },
          button("Refresh", () => reload({})),
          isMore && button("Show older", () => reload({ limit: MOST })),
        )
      : undefined,
  );
}

function toItem(entry: Entry, look: ((entry: Entry, place: HTMLElement) => Promise<void>) | undefined): Node {
  const {
    id,
    time,
    tool,
    summary,
    tables = [],
    paths = tables,
    paths_total: total = paths.length,
    undone,
    interrupted,
    reason,
  } = entry;
  const place = h("div", { class: "inner" });
  const state = undone ? "Taken back" : interrupted ? "Interrupted" : undefined;
  const rest =
    total > paths.length ? `${paths.join("\n")}\nand ${total - paths.length} more` : paths.join("\n");
  const heading = h("h2", {}, outside(tool), ": ", outside(summary));
  return h(
    "li",
    {},
    h(
      "div",
      { class: "bar" },
      heading,
      look && !reason && !undone && button("Take back …", () => look(entry, place)),
    ),
    state && h("p", { class: "state" }, state),
    facts([
      ["when", toTime(time ?? id)],
      ["where", rest],
      ["cannot be undone", reason],
    ]),
    place,
  );
}

/** Ids may begin with the time, written without separators. */
function toTime(text: string): string | undefined {
  const parts = /^(\d{4})-?(\d\d)-?(\d\d)T?-?(\d\d):?(\d\d):?(\d\d)/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts.map(Number);
  const time = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second));
  return time.toLocaleString();
}
