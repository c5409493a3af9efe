/** What a program prints instead of serving. */
export interface PrintedAnswer {
  readonly text: string;
  /** For the person at the terminal: it goes to standard error, so that the text alone can be put into a file. */
  readonly aside?: string;
  readonly exitCode?: number;
}
