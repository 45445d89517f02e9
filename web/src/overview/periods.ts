/** Days that the overview can be about. */
export const periods = [7, 30, 90, 365] as const;
export type Period = (typeof periods)[number];

/** The period that an address without one means. */
export const usualPeriod: Period = 30;

/** The period of the overview, and whether it shows the first steps, as its address has them. */
export interface OverviewSearch {
  readonly days?: Period;
  readonly steps?: true;
}

/** Reads an address; a period that the overview does not have is left out. */
export function readOverviewSearch({ days, steps }: Record<string, unknown>): OverviewSearch {
  const known = periods.find((period) => period === days);
  return { ...(known && known !== usualPeriod && { days: known }), ...(steps === true && { steps }) };
}
