declare const proof: unique symbol;

/**
 * An absolute path without links that lay inside the boundary when it was located. Only a PathGuard makes one.
 * It proves where the path led then: go through openFile, holdDirectory or holdParent to do something there now.
 */
export type SafePath = string & { readonly [proof]: true };
