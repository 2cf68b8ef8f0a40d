/** Work on files is told from what was open before. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchFileWork } from '../../packages/testing/src/explore/explore-wire.ts';

it('work on files is told from operations that began before', () => {
  const active = vi.spyOn(process, 'getActiveResourcesInfo');
  onTestFinished(() => active.mockRestore());
  const open = (...names: string[]) => void active.mockReturnValue(names);
  open('FSReqPromise', 'Timeout');
  const isAtWork = watchFileWork();
  expect(isAtWork()).toBe(false);
  open('FSReqPromise', 'FSReqCallback', 'Timeout');
  expect(isAtWork()).toBe(true);
  open('Timeout', 'Timeout');
  expect(isAtWork()).toBe(false);
  open('FSReqPromise');
  expect(isAtWork()).toBe(true);
});
