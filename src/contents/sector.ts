/** Trades of advertisers, and of what tracked links lead to. */
export const sectors = [
  'NoSector',
  'HighTechAndTelecoms',
  'Male',
  'Household',
  'Administrative',
  'BeautyHealthWelness',
  'Food',
  'Children',
  'Travel',
  'Other',
  'Fashion',
] as const;
export type Sector = (typeof sectors)[number];
