/** The actions that filters count of a reader. The numbers are stored in act_by_day and act_by_sent. */
export const acts = {
  /** A fetch of the pixel; or, of a reader who clicked and fetched none, the first click. */
  open: 1,
  /** The same, with the fetches of mail privacy protection taken for nothing. */
  openWithoutMpp: 2,
  /** Any hit but a fetch of the pixel. */
  click: 3,
} as const;
export type Act = (typeof acts)[keyof typeof acts];
