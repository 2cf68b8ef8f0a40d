import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { TASKS_EXTENSION } from '../request/index.ts';

/** A client without tasks has asked for one. */
export const needsTasks = (why: string): Error =>
  new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `${why} Declare the extension ${TASKS_EXTENSION} with the request.`,
  );
