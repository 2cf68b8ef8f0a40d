import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { TASKS_EXTENSION } from '../request/index.ts';

/** The methods of the tasks extension, and those of tasks on 2025-11-25. */
export const taskMethods = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/update', 'tasks/cancel'] as const;

export type TaskMethod = (typeof taskMethods)[number];

/** A client without tasks has asked for one. */
export const needsTasks = (why: string): Error =>
  new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `${why} Declare the extension ${TASKS_EXTENSION} with the request.`,
  );

/** A client has named a task that is gone, or belongs to somebody else. */
export const unknownTask = (): Error =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task: it has expired, or it is not yours.');
