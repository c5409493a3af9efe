import type { FaultCode, FaultOptions } from "@suite/server-kit/domain";
import type {
  BatchRequest,
  BatchResult,
  Chunk,
  OpenOptions,
  RowPage,
  Portion,
  Progress,
  ReadRequest,
  WriteRequest,
  WriteResult,
} from "./statements.ts";
import type {
  BackupArgs,
  DescribeArgs,
  Described,
  ExplainArgs,
  ExportArgs,
  Exported,
  ImportArgs,
  Imported,
  ListArgs,
  Profile,
  ProfileArgs,
  QueryPlan,
  Selected,
  TableList,
} from "./tasks.ts";
import type { ChangeList, ListChangesArgs, Undone, UndoRequest } from "./undo.ts";

interface Operation<Request, Result> {
  readonly request: Request;
  readonly result: Result;
}

/** What the worker does beyond single statements. */
interface Tasks {
  readonly tables: Operation<ListArgs, TableList>;
  readonly select: Operation<{ readonly table: string }, Selected>;
  readonly describe: Operation<DescribeArgs, Described>;
  readonly explain: Operation<ExplainArgs, QueryPlan>;
  readonly profile: Operation<ProfileArgs, Profile>;
  readonly export: Operation<ExportArgs, Exported>;
  readonly import: Operation<ImportArgs, Imported>;
  readonly backup: Operation<BackupArgs, number>;
  readonly version: Operation<object, number>;
  readonly changes: Operation<ListChangesArgs, ChangeList>;
  readonly undo: Operation<UndoRequest, Undone>;
}

/** Everything that the worker does, by name: the types of both processes come from this table. */
interface Operations extends Tasks {
  readonly read: Operation<ReadRequest, RowPage>;
  readonly write: Operation<WriteRequest, WriteResult>;
  readonly batch: Operation<BatchRequest, BatchResult>;
}

export type TaskName = keyof Tasks;
export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type ResultOf<Name extends OperationName> = Operations[Name]["result"];

export interface WorkerRequest<Name extends OperationName = OperationName> {
  readonly id: number;
  readonly operation: Name;
  readonly request: RequestOf<Name>;
}

/** To the worker, as lists. The first message is `open`. */
export type ToWorker =
  | { readonly open: OpenOptions }
  | WorkerRequest
  | { readonly close: true }
  | { readonly cancel: number }
  /** To a `chunk` or a `pull` of this request. For a `pull`, no portion means the end of the input. */
  | { readonly reply: number; readonly portion?: Portion };

/** From the worker, as lists. Each request gets one answer, `ok` or `fault`, in the order in which they were sent. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly chunk: Chunk }
  | { readonly id: number; readonly pull: true }
  | WorkerAnswer;

export type WorkerAnswer =
  | { readonly id: number; readonly ok: ResultOf<OperationName> }
  | { readonly id: number; readonly fault: FaultData };

export interface FaultData extends Omit<FaultOptions, "cause"> {
  readonly code: FaultCode;
  readonly message: string;
}

/** Printed on stderr by a worker that ends itself because it reached its memory limit. */
export const OUT_OF_MEMORY_MARK = "suite-sqlite: memory limit reached";
