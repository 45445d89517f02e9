/** The actions of readers that filters count. The numbers are stored in act_by_day and act_by_sent. */
export const acts = {
  /** A fetch of the pixel; for a reader who clicked without one, the first click. */
  open: 1,
  /** The same, ignoring fetches of mail privacy protection. */
  openWithoutMpp: 2,
  /** Any hit except a fetch of the pixel. */
  click: 3,
} as const;
export type Act = (typeof acts)[keyof typeof acts];
