import { showProposal } from "./proposal.ts";
import { openView } from "./view.ts";

openView({ name: "change", show: (shown, page) => showProposal(shown, page) });
