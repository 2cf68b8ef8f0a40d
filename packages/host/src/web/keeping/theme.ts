/** Colours that a person may choose instead of their system's. */
export type Theme = 'light' | 'dark';
