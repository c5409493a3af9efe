import { button, card, count, facts, h, opener, outside } from "./elements.ts";
import { showProposal } from "./proposal.ts";
import { type Fields, openView, type Page, type Shown } from "./view.ts";

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
    if (Array.isArray(shown.result["changes"])) showHistory(shown, page);
    else showProposal(shown, page);
  },
});

function showHistory({ tool, input, result }: Shown, page: Page): void {
  const changes = result["changes"] as readonly Entry[];
  const reload = (limit: Fields): Promise<void> =>
    page.attempt("Loading …", async () => {
      const given = { ...input, ...limit };
      showHistory({ tool, input: given, result: await page.call(tool, given) }, page);
    });
  const isMore = result["truncated"] === true || Number(result["total"] ?? 0) > changes.length;
  const where = Object.fromEntries(
    Object.entries(input).filter(([name]) => name === "repo_path" || name === "database"),
  );
  const look = (entry: Entry, place: HTMLElement): Promise<void> =>
    page.attempt("Looking at what it would change …", async () => {
      const asked = { ...where, id: entry.id };
      try {
        const proposal = await page.call(tool, { ...asked, dry_run: true });
        showProposal({ tool, input: asked, result: proposal }, page, place);
      } catch (thrown) {
        place.replaceChildren(h("p", { role: "alert", class: "status bad" }, (thrown as Error).message));
      }
    });
  page.show(
    changes.length === 0 ? "Nothing has been changed" : "What was changed",
    changes.length === 0 ? "" : `${count(changes.length, "change")}${isMore ? " so far" : ""}, newest first.`,
    h(
      "ol",
      { class: "cards" },
      ...changes.map((entry) => toItem(entry, tool === undefined ? undefined : look)),
    ),
    tool !== undefined &&
      h(
        "div",
        { class: "actions" },
        button("Refresh", () => reload({})),
        isMore && changes.length < MOST && button("Show older", () => reload({ limit: MOST })),
      ),
  );
}

function toItem(entry: Entry, look: ((entry: Entry, place: HTMLElement) => Promise<void>) | undefined): Node {
  const { id, time = id, tool, summary, tables = [], paths = tables, reason, undone, interrupted } = entry;
  const rest = (entry.paths_total ?? paths.length) - paths.length;
  const place = h("div", { class: "inner" });
  const state = undone ? "Undone" : interrupted ? "Interrupted" : undefined;
  const action = look && !reason && !undone && opener("Undo …", place, () => look(entry, place), "");
  const known = facts([
    ["when", toTime(time)],
    ["where", [...paths, ...(rest > 0 ? [`and ${rest} more`] : [])]],
    ["cannot be undone", reason],
  ]);
  return card([outside(tool), ": ", outside(summary)], { state, action }, known, place);
}

/** Ids may begin with the time, written without separators. */
function toTime(text: string): string | undefined {
  const parts = /^(\d{4})-?(\d\d)-?(\d\d)T?-?(\d\d):?(\d\d):?(\d\d)/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts.map(Number);
  const time = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second));
  return time.toLocaleString();
}
