import { access, constants, realpath, stat } from 'node:fs/promises';

/** The file system, as far as offering roots needs it. */
export interface RootsDisk {
  /** What a path leads to when links are followed. Never rejects. */
  look(path: string): Promise<'directory' | 'not-a-directory' | 'unreadable' | 'gone'>;
  /** The path with every link resolved. */
  real(path: string): Promise<string>;
}

/**
 * The file system of this machine.
 * @example
 * ```ts
 * const roots = new OfferedRoots({ disk: machineDisk });
 * ```
 */
export const machineDisk: RootsDisk = {
  async look(path) {
    try {
      if (!(await stat(path)).isDirectory()) return 'not-a-directory';
      await access(path, constants.R_OK | constants.X_OK);
      return 'directory';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unreadable' : 'gone';
    }
  },
  real: path => realpath(path),
};
