/** Seals the secrets that a command stores, with a key in a file next to them that only its owner can read. */
import { join } from 'node:path';
import type { SecretBox } from '@midcall/host/web';
import { createSealer, keyRing, type Sealer } from '@midcall/server';

const purpose = 'desk-secrets';

/** @param folder - where the key is; it is created when something is first sealed or opened */
export function secretBox(folder: string): SecretBox {
  let sealer: Sealer | undefined;
  const own = (): Sealer => {
    sealer ??= createSealer(keyRing({ file: join(folder, 'key'), create: true }), { maxLength: 16 * 1024 * 1024 });
    return sealer;
  };
  return {
    seal: text => own().seal(text, purpose),
    open(sealed) {
      const opened = own().open(sealed, purpose);
      return opened.ok && typeof opened.payload === 'string' ? opened.payload : undefined;
    },
  };
}
