/** What a suite is given: all of them share the command line. */
export interface SuiteOptions {
  /** Rounds of the cheapest measure; dearer ones may take fewer. */
  readonly rounds: number;
  /** Fewer calls per round: figures to look at, not to publish. */
  readonly quick: boolean;
  /** The servers to measure, or all. */
  readonly only: readonly string[] | undefined;
  /** The program that runs the servers. */
  readonly node: string;
  /** A folder of this run's own, removed afterwards. */
  readonly folder: string;
  /** The folder of a corpus, for the suite articles. */
  readonly source?: string | undefined;
  readonly signal: AbortSignal;
  readonly showProgress: (line: string) => void;
}

/** Returns what is printed. */
export type RunSuite = (options: SuiteOptions) => Promise<string>;

/** A run that measured nothing worth reporting: a wrong answer, a crash or a server that fell silent. */
export class BenchFailure extends Error {
  override readonly name = "BenchFailure";
}
