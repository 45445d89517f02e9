/** The newest job of a campaign says why the campaign is not being sent. */
interface HaltedJob {
  readonly idCampaign: number;
  readonly jobErrorInfo: string | null;
}

/** The service lists so many jobs at once. */
export const mostJobs = 200;

/**
 * The reason of the newest job of each campaign, by the campaign's id; empty without a reason.
 * @param read returns the newest jobs of campaigns, `mostJobs` at most, the newest first
 */
export async function newestReasons(
  ids: readonly number[],
  read: (ids: readonly number[]) => Promise<readonly HaltedJob[]>,
): Promise<Map<number, string>> {
  const reasons = new Map<number, string>();
  let left = ids;
  while (left.length > 0) {
    const jobs = await read(left);
    for (const { idCampaign, jobErrorInfo } of jobs)
      if (!reasons.has(idCampaign)) reasons.set(idCampaign, jobErrorInfo ?? '');
    // The jobs of a campaign that runs daily fill a page, and the jobs of others are behind it.
    left = jobs.length < mostJobs ? [] : left.filter((id) => !reasons.has(id));
  }
  return reasons;
}
