export * from "@suite/check";
