/** The roots and files of calls, loaded with the first handler that asks for them: most servers touch no files. */
import type { CallRun } from '../questions/index.ts';
import type { Config } from '../request/index.ts';
import type { FileAccess, FileAccesses } from './file-access.ts';

export function lazyFileAccess(config: Config): FileAccesses {
  let loaded: Promise<FileAccesses> | undefined;
  const load = async (): Promise<FileAccesses> => {
    loaded ??= import('./file-access.ts').then(({ fileAccess }) => fileAccess(config));
    return loaded;
  };
  const from = (choose: (all: FileAccesses) => FileAccess): FileAccess => {
    let chosen: Promise<FileAccess> | undefined;
    // No round may leave while this loads: its questions belong to the same one.
    const access = (run: CallRun): Promise<FileAccess> =>
      run.guarded(() => {
        chosen ??= load().then(choose);
        return chosen;
      });
    return {
      roots: async run => (await access(run)).roots(run),
      files: async run => (await access(run)).files(run),
    };
  };
  return {
    of: request => from(all => all.of(request)),
    ofNobody: from(all => all.ofNobody),
    unasked: async request => (await load()).unasked(request),
  };
}
