/** Sends a handler's log messages to a client that asked for them (server/utilities/logging). */
import { jsonLoss, lossText } from '@midcall/core/json';
import { checkGiven, name, oneOf } from '@midcall/core/options';
import type { Listener } from '../eras/index.ts';
import type { CallRun } from '../questions/index.ts';
import type { Config, LogLevel } from '../request/index.ts';

const level = oneOf('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency');

interface Logged {
  readonly level: LogLevel;
  readonly data: unknown;
  readonly logger: string | undefined;
}

/** @throws TypeError for an unknown level, and for data that is not JSON */
export function tellLog(listener: Listener | undefined, config: Config, run: CallRun, logged: Logged): void {
  checkGiven('call.log', 'the level', logged.level, level);
  if (logged.logger !== undefined) checkGiven('call.log', 'the logger', logged.logger, name);
  const loss = jsonLoss(logged.data);
  if (loss) throw new TypeError(`call.log: the data has ${lossText(loss)}`);
  if (!listener) return;
  const { server, ctx } = listener;
  if (!server.server.getCapabilities().logging) {
    const remedy = 'Give the server capabilities: { logging: {} }.';
    config.warnOnce('log', `midcall: call.log reaches nobody, since the server declares no logging. ${remedy}`);
    return;
  }
  if (!run.say(['log', logged])) return;
  // No client is connected to a task; a disconnected client is noticed by the request's signal.
  void ctx.mcpReq.log?.(logged.level, logged.data, logged.logger)?.catch(() => {});
}
