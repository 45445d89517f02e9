/** The business sectors of advertisers and of tracked links. */
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
