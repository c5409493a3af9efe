/** A document whose parts are read when they are wanted. */
export interface Opened {
  readonly format: "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "epub";
  readonly title?: string | undefined;
  /** What its parts are called, if they can be chosen. */
  readonly unit?: "page" | "sheet" | "slide" | "chapter";
  /** `room`: the characters that are wanted at most. */
  readonly parts: readonly ((room: number) => PartText | Promise<PartText>)[];
}

export interface PartText {
  readonly name?: string | undefined;
  readonly text: string;
  /** Whether nobody sees the part: its text is not wanted. */
  readonly isHidden?: boolean;
  /** Pieces that were left out because a person does not see them. */
  readonly hidden?: number;
  readonly isCut?: boolean;
}
