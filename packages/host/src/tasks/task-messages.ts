/** What servers say about tasks, read from the messages of both revisions. Pure. */
import { isRecord, type JsonObject, own } from '@midcall/core/json';

/** The name of the extension, as a client declares it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** A task as its server last reported it; everything in it is untrusted. */
export interface TaskState {
  readonly taskId: string;
  readonly status: (typeof statuses)[number];
  readonly statusMessage?: string;
  /** How many milliseconds the server asks for between two polls. */
  readonly pollMs?: number;
  /** How many milliseconds it exists after its creation; null forever. */
  readonly ttlMs?: number | null;
  /** What it asks (extension). */
  readonly inputRequests: JsonObject;
  /** The result of the call, if the task has ended (extension). */
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The longest id that is accepted; it is written to a file, and sent repeatedly. */
const longestId = 1_000;

/** @returns undefined if it is not a task */
export function readTask(value: unknown): TaskState | undefined {
  if (!isRecord(value)) return undefined;
  const { taskId, status, statusMessage, inputRequests, result, error } = value;
  const knownStatus = statuses.find(each => each === status);
  if (typeof taskId !== 'string' || taskId.length > longestId || knownStatus === undefined) return undefined;
  const pollMs = value['pollIntervalMs'] ?? value['pollInterval'];
  const ttlMs = value['ttlMs'] ?? value['ttl'];
  return {
    taskId,
    status: knownStatus,
    ...(typeof statusMessage === 'string' && { statusMessage }),
    ...(typeof pollMs === 'number' && Number.isFinite(pollMs) && { pollMs }),
    ...((typeof ttlMs === 'number' || ttlMs === null) && { ttlMs }),
    inputRequests: isRecord(inputRequests) ? inputRequests : {},
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

/**
 * The task that a call is answered with; undefined for a result.
 * @param asTask - true if the call asked for a task itself (`task` parameter), and receives it in a member of its own
 */
export function createdTask(result: unknown, asTask: boolean): TaskState | undefined {
  if (asTask) return readTask(own(result, 'task'));
  return own(result, 'resultType') === 'task' ? readTask(result) : undefined;
}

/** @param meta - of a request */
export function declaresTasks(capabilities: unknown): boolean {
  return isRecord(own(own(capabilities, 'extensions'), tasksExtension));
}

/** The extension belongs to the revision that has no `initialize`. */
export function withoutTasks(message: JsonObject): JsonObject {
  const params = isRecord(message['params']) ? message['params'] : {};
  const { extensions, ...capabilities } = isRecord(params['capabilities']) ? params['capabilities'] : {};
  if (!isRecord(extensions)) return message;
  const { [tasksExtension]: _, ...others } = extensions;
  const remaining = Object.keys(others).length > 0 ? { ...capabilities, extensions: others } : capabilities;
  return { ...message, params: { ...params, capabilities: remaining } };
}
