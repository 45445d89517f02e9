/** Days that the overview can be about. */
export const periods = [7, 30, 90, 365] as const;
export type Period = (typeof periods)[number];

/** The period that an address without one means. */
export const usualPeriod: Period = 30;

/** The period of the overview, as its address has it. */
export interface OverviewSearch {
  readonly days?: Period;
}

/** Reads an address; a period that the overview does not have is left out. */
export function readOverviewSearch({ days }: Record<string, unknown>): OverviewSearch {
  const known = periods.find((period) => period === days);
  return known && known !== usualPeriod ? { days: known } : {};
}
