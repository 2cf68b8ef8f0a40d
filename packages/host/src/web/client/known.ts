/**
 * How this browser is recognized by the desk of the same person, after the desk has been started again: by a key that it can use
 * and that nobody can read, not even this script. Only pages of this origin have it, and a port is a part of an origin.
 */

const [database, store, name] = ['midcall-desk', 'keys', 'own'];

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inStore<T>(mode: IDBTransactionMode, use: (keys: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const all = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const request = use(all.transaction(store, mode).objectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    all.close();
  }
}

const ownKey = (): Promise<CryptoKeyPair | undefined> => inStore('readonly', keys => keys.get(name));

async function publicPart({ publicKey }: CryptoKeyPair): Promise<Record<'x' | 'y', string>> {
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey);
  return { x, y };
}

/** Makes a key and tells the desk, unless this browser has one. @param tell - tells the public part; true if the desk has it */
export async function rememberBrowser(tell: (key: Record<'x' | 'y', string>) => Promise<boolean>): Promise<void> {
  if (await ownKey()) return;
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  if (await tell(await publicPart(pair))) await inStore('readwrite', keys => keys.put(pair, name));
}

/** Forgets the key, which the desk does not know. */
export const forgetBrowser = (): Promise<undefined> => inStore('readwrite', keys => keys.delete(name));

/** What shows the desk that this browser is known; undefined if it has no key. @param nonce - of the desk, for one use */
export async function proof(nonce: string): Promise<Record<string, string> | undefined> {
  const pair = await ownKey();
  if (!pair) return undefined;
  const signed = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    pair.privateKey,
    new TextEncoder().encode(`midcall desk ${nonce}`),
  );
  const signature = btoa(String.fromCharCode(...new Uint8Array(signed)));
  return { ...(await publicPart(pair)), nonce, signature };
}
