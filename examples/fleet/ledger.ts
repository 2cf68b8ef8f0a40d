/** A file with one line for each order: `order amount`. */
import { open, readFile } from 'node:fs/promises';

export interface Ledger {
  /** Enters an order, unless it is there already; it is on the disk when this resolves. */
  enter(order: string, amount: number): Promise<void>;
}

export function ledgerFile(path: string): Ledger {
  let entering: Promise<void> = Promise.resolve();
  const enter = async (order: string, amount: number): Promise<void> => {
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    if (lines.some(line => line.startsWith(`${order} `))) return;
    const file = await open(path, 'a');
    try {
      await file.appendFile(`${order} ${amount}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  };
  return {
    enter(order, amount) {
      entering = entering.then(
        () => enter(order, amount),
        () => enter(order, amount),
      );
      return entering;
    },
  };
}
