export * from "@suite/check/wires";
