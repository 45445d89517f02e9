import { sendPasswordLink } from './accounts/jobs/send-password-link.ts';
import { foldActivity } from './activity/jobs/fold-activity.ts';
import { foldSite } from './activity/jobs/fold-site.ts';
import { forgetHitSources } from './activity/jobs/forget-hit-sources.ts';
import { notifyAlert } from './alerts/notify-alert.ts';
import { checkComplaints, reviewAlerts } from './bounces/jobs/check-complaints.ts';
import { forgetWebhookRequests } from './bounces/jobs/forget-webhook-requests.ts';
import { trimMailbox } from './bounces/jobs/trim-mailbox.ts';
import { clearExportDrafts } from './exports/jobs/clear-export-drafts.ts';
import { findLostExports } from './exports/jobs/find-lost-exports.ts';
import { finishExport } from './exports/jobs/finish-export.ts';
import { runExport } from './exports/jobs/run-export.ts';
import { clearImportLeftovers } from './imports/jobs/clear-import-leftovers.ts';
import { findLostErrorFiles, findLostImports } from './imports/jobs/find-lost-imports.ts';
import { deleteImported, deliverErrors, finishImport } from './imports/jobs/finish-import.ts';
import { runImport } from './imports/jobs/run-import.ts';
import { closeMonths } from './invoices/jobs/close-months.ts';
import type { Task } from './platform/jobs.ts';
import { startWaitingJobs } from './platform/task-permits.ts';
import { findLostGenerations } from './sending/jobs/find-lost-generations.ts';
import { forgetSingles } from './sending/jobs/forget-singles.ts';
import { generateJob } from './sending/jobs/generate-job.ts';
import { markRefused } from './sending/jobs/mark-refused.ts';
import { notifyDelivery } from './sending/jobs/notify-delivery.ts';
import { forgetReports } from './statistics/jobs/forget-reports.ts';
import { buildHashIndexTask } from './subscribers/jobs/build-hash-index.ts';
import { buildSearchIndexesTask } from './subscribers/jobs/build-search-indexes.ts';
import { forgetSoftBounces } from './subscribers/jobs/forget-soft-bounces.ts';
import { resolveMailDomains } from './subscribers/jobs/resolve-mail-domains.ts';
import { tidyFilterFiles } from './targets/jobs/tidy-filter-files.ts';

/** Every background task of the program. */
export const tasks: readonly Task<never>[] = [
  startWaitingJobs,
  sendPasswordLink,
  foldActivity,
  foldSite,
  forgetHitSources,
  generateJob,
  findLostGenerations,
  forgetSingles,
  markRefused,
  notifyDelivery,
  trimMailbox,
  forgetWebhookRequests,
  checkComplaints,
  reviewAlerts,
  notifyAlert,
  closeMonths,
  forgetReports,
  forgetSoftBounces,
  resolveMailDomains,
  buildHashIndexTask,
  buildSearchIndexesTask,
  tidyFilterFiles,
  runImport,
  finishImport,
  deleteImported,
  deliverErrors,
  findLostImports,
  findLostErrorFiles,
  clearImportLeftovers,
  runExport,
  finishExport,
  findLostExports,
  clearExportDrafts,
];
