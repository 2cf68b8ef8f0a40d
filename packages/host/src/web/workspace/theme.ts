/** Colours that a person may choose in place of their system's. */
export type Theme = 'light' | 'dark';
