/** For making other servers of a server's parts. */
export { combineServers, type Combination } from "./serving/program/combine.ts";
export { beforeRun, extendServer, type Changes, type ToolsByName } from "./serving/program/extend.ts";
