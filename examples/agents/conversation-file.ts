/** Where an agent of these examples keeps what its framework gives it to keep. */
import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads and writes one text; a crash leaves the old one or the new one. */
export const conversationFile = (path: string) => ({
  read: (): Promise<string | undefined> =>
    readFile(path, 'utf8').catch(error => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }),
  async write(text: string): Promise<void> {
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  },
});

export type ConversationFile = ReturnType<typeof conversationFile>;
