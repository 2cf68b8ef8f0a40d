/** Files whose operations are held while the run is: none starts once its round has been sent or the run is closed. */

import type { Run } from '../engine/index.ts';
import { type Observer, observed } from '../observe/index.ts';
import type { FileHandle, Files } from '../roots/index.ts';

interface Guard {
  <T>(operation: () => Promise<T>): Promise<T>;
  /** For an operation that changes something: its name, for test observers. */
  change<T>(name: string, operation: () => Promise<T>): Promise<T>;
}

export function guardedFiles(files: Files, run: Pick<Run<unknown>, 'guarded' | 'asking'>, observe?: Observer): Files {
  const guard: Guard = Object.assign(<T>(operation: () => Promise<T>) => run.guarded(operation), {
    change: <T>(name: string, operation: () => Promise<T>) =>
      run.guarded(() => observed(observe, run, { by: 'files', name: `files.${name}` }, operation)),
  });
  return {
    roots: files.roots,
    leftOut: files.leftOut,
    guarantee: files.guarantee,
    open: async (path, mode) => guardedHandle(await guard(() => files.open(path, mode)), guard),
    read: (path, options) => guard(() => files.read(path, options)),
    readText: path => guard(() => files.readText(path)),
    stream: path => guard(() => files.stream(path)),
    write: (path, data) => guard.change(`write ${path}`, () => files.write(path, data)),
    append: (path, data) => guard.change(`append ${path}`, () => files.append(path, data)),
    create: (path, data) => guard.change(`create ${path}`, () => files.create(path, data)),
    list: path => guard(() => files.list(path)),
    async *walk(path, options) {
      const entries = files.walk(path, options)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await guard(async () => entries.next());
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await entries.return?.();
      }
    },
    stat: path => guard(() => files.stat(path)),
    exists: path => guard(() => files.exists(path)),
    mkdir: path => guard.change(`mkdir ${path}`, () => files.mkdir(path)),
    rename: (from, to) => guard.change(`rename ${from} -> ${to}`, () => files.rename(from, to)),
    copy: (from, to) => guard.change(`copy ${from} -> ${to}`, () => files.copy(from, to)),
    remove: path => guard.change(`remove ${path}`, () => files.remove(path)),
    removeTree: path => guard.change(`removeTree ${path}`, () => files.removeTree(path)),
    absolute: path => guard(() => files.absolute(path)),
    close: () => files.close(),
    [Symbol.asyncDispose]: () => files.close(),
  };
}

function guardedHandle(handle: FileHandle, guard: Guard): FileHandle {
  return {
    path: handle.path,
    read: options => guard(() => handle.read(options)),
    write: (data, options) => guard.change(`write ${handle.path}`, () => handle.write(data, options)),
    stat: () => guard(() => handle.stat()),
    close: () => handle.close(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
