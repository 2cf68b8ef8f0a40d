/** Where other hosts on this machine keep their lists of servers. Names the files, and reads none. Pure. */
import { posix, win32 } from 'node:path';

/** The list of one host. */
export interface HostConfig {
  /** What people call it. */
  readonly host: string;
  readonly path: string;
}

/** @param environment - of this process, which says where a person's files are */
export function hostConfigs(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): readonly HostConfig[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const home = environment['HOME'] ?? environment['USERPROFILE'];
  if (home === undefined) return [];
  const dotConfig = environment['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const settings =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
        : dotConfig;
  const code = join(settings, 'Code', 'User');
  return [
    { host: 'Claude Desktop', path: join(settings, 'Claude', 'claude_desktop_config.json') },
    { host: 'Claude Code', path: join(home, '.claude.json') },
    { host: 'Cursor', path: join(home, '.cursor', 'mcp.json') },
    { host: 'VS Code', path: join(code, 'mcp.json') },
    {
      host: 'Cline',
      path: join(code, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'),
    },
    { host: 'Windsurf', path: join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    { host: 'Gemini CLI', path: join(home, '.gemini', 'settings.json') },
    { host: 'LM Studio', path: join(home, '.lmstudio', 'mcp.json') },
    {
      host: 'Zed',
      path: join(platform === 'win32' ? settings : dotConfig, platform === 'win32' ? 'Zed' : 'zed', 'settings.json'),
    },
  ];
}
