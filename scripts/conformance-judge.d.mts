/** One check of a scenario's `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface Judged {
  readonly passed: boolean;
  readonly success: number;
  readonly failure: number;
  readonly warning: number;
  readonly why: readonly string[];
}

export function judge(checks?: readonly Check[]): Judged;
