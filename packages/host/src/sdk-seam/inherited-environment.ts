/**
 * The environment variables that a server inherits, none of which is a secret of its host. The same as if the SDK started it.
 * Pure.
 */

const names: Readonly<Record<'win32' | 'other', readonly string[]>> = {
  win32: [
    ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
    ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP'],
    ...['USERNAME', 'USERPROFILE', 'WINDIR'],
  ],
  other: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
};

/** @param platform - as Node names it */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  const inherited = names[platform === 'win32' ? 'win32' : 'other'].flatMap(name => {
    const value = environment[name];
    // A shell function, not a value.
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const];
  });
  return Object.fromEntries(inherited);
}
