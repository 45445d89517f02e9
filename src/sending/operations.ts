import type { Operation } from '../platform/http/operation.ts';
import { computeSegmentSpamScore } from './api/compute-segment-spam-score.ts';
import { computeSpamScores } from './api/compute-spam-scores.ts';
import { deletePicture } from './api/delete-picture.ts';
import { eraseSubscriber } from './api/erase-subscriber.ts';
import { getSendingHealth } from './api/get-sending-health.ts';
import { getSingleMessage } from './api/get-single-message.ts';
import { pauseCampaign } from './api/pause-campaign.ts';
import { pregenerateHtml } from './api/pregenerate-html.ts';
import { pregenerateSendingHtml } from './api/pregenerate-sending-html.ts';
import { previewDraft } from './api/preview-draft.ts';
import { previewMessage } from './api/preview-message.ts';
import { resendToFailed } from './api/resend-to-failed.ts';
import { scheduleCampaign } from './api/schedule-campaign.ts';
import { scheduleCampaignDaily } from './api/schedule-campaign-daily.ts';
import { sendCampaignNow } from './api/send-campaign-now.ts';
import { sendCampaignToSubscriber } from './api/send-campaign-to-subscriber.ts';
import { sendSegmentTestMailing } from './api/send-segment-test-mailing.ts';
import { sendTestMailing } from './api/send-test-mailing.ts';
import { stopCampaign } from './api/stop-campaign.ts';
import { testRoute } from './api/test-route.ts';

/** The operations of this slice, in the order of the reference. */
export const sendingOperations: readonly Operation[] = [
  scheduleCampaign,
  scheduleCampaignDaily,
  sendCampaignNow,
  sendCampaignToSubscriber,
  getSingleMessage,
  eraseSubscriber,
  pauseCampaign,
  stopCampaign,
  getSendingHealth,
  sendTestMailing,
  sendSegmentTestMailing,
  computeSegmentSpamScore,
  computeSpamScores,
  resendToFailed,
  previewMessage,
  previewDraft,
  pregenerateHtml,
  pregenerateSendingHtml,
  deletePicture,
  testRoute,
];
