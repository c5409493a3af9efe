declare module "@mozilla/readability/JSDOMParser.js" {
  /** Reads well-formed XML. */
  export default class JSDOMParser {
    parse(xml: string): unknown;
  }
}
