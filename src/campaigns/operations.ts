import type { Operation } from '../platform/http/operation.ts';
import { addPictureFromHtmlBuilder } from './api/add-picture-from-html-builder.ts';
import { assignAdvertisement } from './api/assign-advertisement.ts';
import { checkDraft } from './api/check-draft.ts';
import { countCampaigns } from './api/count-campaigns.ts';
import { countPictureCampaigns } from './api/count-picture-campaigns.ts';
import { countSegment } from './api/count-segment.ts';
import { countSegments } from './api/count-segments.ts';
import { createCampaign } from './api/create-campaign.ts';
import { createSampleData } from './api/create-sample-data.ts';
import { createSegment } from './api/create-segment.ts';
import { deleteContentBlock } from './api/delete-content-block.ts';
import { deleteContentData } from './api/delete-content-data.ts';
import { deleteDirectory } from './api/delete-directory.ts';
import { deleteSampleData } from './api/delete-sample-data.ts';
import { deleteSegment } from './api/delete-segment.ts';
import { duplicateCampaign } from './api/duplicate-campaign.ts';
import { getCampaign } from './api/get-campaign.ts';
import { getCampaignChecklist } from './api/get-campaign-checklist.ts';
import { getCampaignMjml } from './api/get-campaign-mjml.ts';
import { getCampaignSchedule } from './api/get-campaign-schedule.ts';
import { getOrCreateTrackedLinks } from './api/get-or-create-tracked-links.ts';
import { getSampleData } from './api/get-sample-data.ts';
import { getSegment } from './api/get-segment.ts';
import { listCampaignAuthors } from './api/list-campaign-authors.ts';
import { listCampaigns } from './api/list-campaigns.ts';
import { listContentBlockUses } from './api/list-content-block-uses.ts';
import { listContentDataUses } from './api/list-content-data-uses.ts';
import { listFavouriteCampaigns } from './api/list-favourite-campaigns.ts';
import { listPictureUses } from './api/list-picture-uses.ts';
import { listSegmentPeople } from './api/list-segment-people.ts';
import { listSegments } from './api/list-segments.ts';
import { listTrackedLinks } from './api/list-tracked-links.ts';
import { modifyCampaign } from './api/modify-campaign.ts';
import { modifyCampaignFields } from './api/modify-campaign-fields.ts';
import { reorderSegments } from './api/reorder-segments.ts';
import { setCampaignFavourite } from './api/set-campaign-favourite.ts';
import { setCampaignMjml } from './api/set-campaign-mjml.ts';
import { trackAllLinks } from './api/track-all-links.ts';
import { trackLink } from './api/track-link.ts';
import { untrackLink } from './api/untrack-link.ts';
import { updateSegment } from './api/update-segment.ts';

/** The operations of this slice, in the order of the reference. */
export const campaignsOperations: readonly Operation[] = [
  getCampaign,
  getCampaignMjml,
  setCampaignMjml,
  getCampaignSchedule,
  getCampaignChecklist,
  checkDraft,
  listCampaigns,
  countCampaigns,
  listCampaignAuthors,
  listFavouriteCampaigns,
  setCampaignFavourite,
  modifyCampaign,
  modifyCampaignFields,
  createCampaign,
  duplicateCampaign,
  listSegments,
  createSegment,
  getSegment,
  updateSegment,
  deleteSegment,
  reorderSegments,
  assignAdvertisement,
  countSegment,
  countSegments,
  listSegmentPeople,
  getOrCreateTrackedLinks,
  listTrackedLinks,
  trackAllLinks,
  trackLink,
  untrackLink,
  addPictureFromHtmlBuilder,
  listPictureUses,
  countPictureCampaigns,
  listContentBlockUses,
  deleteContentBlock,
  listContentDataUses,
  deleteContentData,
  deleteDirectory,
  getSampleData,
  createSampleData,
  deleteSampleData,
];
