import type { Era } from '@midcall/host';

/** What `--era` takes, and which revision each name stands for. */
export const eraNames: Readonly<Record<string, 'auto' | Era>> = {
  auto: 'auto',
  '2025': '2025-11-25',
  '2025-11-25': '2025-11-25',
  '2026': '2026-07-28',
  '2026-07-28': '2026-07-28',
};
