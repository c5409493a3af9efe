/** A test, by its file and its title there. */
export interface CitedTest {
  readonly file: string;
  readonly title: string;
}

/** One of the 33 challenges for agents, what every server does about it, and the tests that show it. */
export interface ContractRow {
  readonly number: number;
  readonly challenge: string;
  /** As Markdown, for docs/agent-contract.md. */
  readonly answer: string;
  readonly shownBy: readonly CitedTest[];
}

/** Several rows cite these. */
export const BED: CitedTest = { file: "e2e/bed/bed.soak.test.ts", title: "works in %s over stdio and HTTP" };
export const TRIED_FIRST: CitedTest = {
  file: "e2e/contract/calls.test.ts",
  title:
    "that change something can be tried first, and are done once a person agrees who can be asked and may refuse",
};
