/**
 * A worker thread that keeps swapping a leaf, its parent and its grandparent between the real thing and a link that leads
 * outside. It holds the real directories by descriptor, so that its own steps never run through its own links.
 *
 * It stops when `control[1]` is 1 and counts its swaps in `control[2]`. For trees (`trees` given), `control[3]` is the
 * number of the tree under attack.
 */
import * as fs from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { level, root, outside, trees } = workerData;
const control = new Int32Array(workerData.control);

const quietly = step => {
  try {
    step();
    return true;
  } catch {
    return false;
  }
};

const hold = path => `/proc/self/fd/${fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)}`;

/** A few microseconds in which everything is in its place, of a length nobody can foresee. */
function dwell() {
  for (let left = Math.random() * 2000; left > 0; left -= 1) Atomics.load(control, 1);
}

/** Swaps a directory: away, a link in its place, and back. What others create in the gap is moved aside. */
function directory(base, name, target) {
  const [real, away, link] = [`${base}/${name}`, `${base}/${name}.away`, `${base}/${name}.link`];
  let aside = 0;
  const place = from => {
    for (let attempt = 0; attempt < 100 && !quietly(() => fs.renameSync(from, real)); attempt += 1) {
      aside += 1;
      quietly(() => fs.renameSync(real, `${real}.aside-${aside}`));
    }
  };
  fs.symlinkSync(target, link);
  return () => {
    fs.renameSync(real, away);
    place(link);
    fs.renameSync(real, link);
    place(away);
    dwell();
  };
}

/** Swaps a file: a link renamed over it, the file renamed over that; the name is never free for long. */
function leaf(base, name, target) {
  const [real, link, fresh, kept] = ['', '.link', '.fresh', '.kept'].map(end => `${base}/${name}${end}`);
  fs.linkSync(real, kept);
  return () => {
    quietly(() => fs.symlinkSync(target, link));
    quietly(() => fs.renameSync(link, real));
    quietly(() => fs.linkSync(kept, fresh));
    quietly(() => fs.renameSync(fresh, real));
    dwell();
  };
}

function swapper() {
  if (trees) {
    return () => {
      const tree = `${root}/tree-${Atomics.load(control, 3)}`;
      quietly(() => fs.renameSync(`${tree}/a`, `${tree}/a.away`));
      if (!quietly(() => fs.symlinkSync(`${outside}/a`, `${tree}/a`))) return;
      quietly(() => fs.unlinkSync(`${tree}/a`));
      quietly(() => fs.renameSync(`${tree}/a.away`, `${tree}/a`));
    };
  }
  if (level === 'grandparent') return directory(hold(root), 'g', `${outside}/g`);
  if (level === 'parent') return directory(hold(`${root}/g`), 'p', `${outside}/g/p`);
  return leaf(hold(`${root}/g/p`), 'leaf', `${outside}/g/p/leaf`);
}

const swap = swapper();
parentPort.postMessage('started');
while (Atomics.load(control, 1) === 0) {
  swap();
  Atomics.add(control, 2, 1);
  Atomics.notify(control, 2);
}
