export { isWriter, type ListedTool as ContractTool, listTools as listContract } from "@suite/check/wires";
