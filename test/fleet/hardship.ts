/** What makes a fleet slow: busy processors, a slow disk, and a Redis that stops now and then. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisServer } from '../stores/redis-server.ts';

/** `faltering`: Redis does something for a moment only, again and again; `stopped`: it stops for some seconds now and then. */
export type Hardship = 'none' | 'busy' | 'slow-disk' | 'faltering' | 'stopped';

export interface Undergone {
  /** What Redis is started with. */
  readonly environment: NodeJS.ProcessEnv;
  begin(redis: RedisServer, random: (most: number) => number): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Busy loops for each processor. */
const BUSY = 4;
/** How long each write to the disk takes, in milliseconds. */
const FSYNC_MS = 1_000;
/** How long Redis does nothing, and how long it works in between, in milliseconds. */
const FALTERS_MS = 1_500;
const WORKS_MS = 5;

/** Delays each `fdatasync` and `fsync` of a process that is started with it. */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static void slow(void) { struct timespec t = { ${FSYNC_MS} / 1000, ${FSYNC_MS} % 1000 * 1000000L }; nanosleep(&t, 0); }
int fdatasync(int fd) { static int (*real)(int); if (!real) real = dlsym(RTLD_NEXT, "fdatasync"); slow(); return real(fd); }
int fsync(int fd) { static int (*real)(int); if (!real) real = dlsym(RTLD_NEXT, "fsync"); slow(); return real(fd); }
`;

export async function undergo(hardship: Hardship): Promise<Undergone> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-hardship-'));
  const children: ChildProcess[] = [];
  const environment: NodeJS.ProcessEnv = {};
  let isOver = false;
  let goOn = (): void => {};
  if (hardship === 'busy')
    for (let at = 0; at < BUSY * availableParallelism(); at += 1)
      children.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  if (hardship === 'slow-disk') {
    const library = join(folder, 'slow.so');
    writeFileSync(join(folder, 'slow.c'), shim);
    execFileSync('gcc', ['-shared', '-fPIC', '-o', library, join(folder, 'slow.c'), '-ldl']);
    environment['LD_PRELOAD'] = library;
  }
  const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
  return {
    environment,
    begin(redis, random) {
      if (hardship !== 'stopped' && hardship !== 'faltering') return;
      const stops = async (): Promise<void> => {
        while (!isOver) {
          await pause(hardship === 'stopped' ? random(8_000) : WORKS_MS);
          if (isOver) return;
          goOn = redis.freeze();
          await pause(hardship === 'stopped' ? random(6_000) : FALTERS_MS);
          goOn();
        }
      };
      void stops();
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      goOn();
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
