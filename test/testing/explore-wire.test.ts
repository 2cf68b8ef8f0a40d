/** A silent server is told from one that is at work, whatever else the process is busy with. */
import { performance } from 'node:perf_hooks';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { virtualClock } from '../../packages/testing/src/explore/explore-clock.ts';
import { openWire, watchServers } from '../../packages/testing/src/explore/explore-wire.ts';

it('the wire of explore does not wait for work that is not the server’s', async () => {
  const stop = watchServers();
  const busy = vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 0, active: 1, utilization: 1 });
  let others = setImmediate(function again() {
    others = setImmediate(again);
  });
  const wire = openWire(() => new McpServer({ name: 'silent', version: '1.0.0' }), virtualClock(), 1);
  onTestFinished(async () => {
    clearImmediate(others);
    busy.mockRestore();
    stop();
    await wire.close();
  });
  expect(await wire.receive()).toBeUndefined();
  // Once before the wait, and twice after it.
  expect(busy).toHaveBeenCalledTimes(3);
});
