/** What a program prints instead of serving. */
export interface Answer {
  readonly text: string;
  readonly exitCode?: number;
}
