import { forgetAuditEntries } from './accounts/tasks/forget-audit-entries.ts';
import { sendPasswordLink } from './accounts/tasks/send-password-link.ts';
import { markRefused } from './activity/mark-refused.ts';
import { foldActivity } from './activity/tasks/fold-activity.ts';
import { foldSite } from './activity/tasks/fold-site.ts';
import { forgetHitSources } from './activity/tasks/forget-hit-sources.ts';
import { notifyAlert } from './alerts/notify-alert.ts';
import { checkComplaints, reviewAlerts } from './bounces/check-complaints.ts';
import { forgetWebhookRequests } from './bounces/tasks/forget-webhook-requests.ts';
import { trimMailbox } from './bounces/tasks/trim-mailbox.ts';
import { clearExportDrafts } from './exports/tasks/clear-export-drafts.ts';
import { findLostExports } from './exports/tasks/find-lost-exports.ts';
import { finishExport } from './exports/tasks/finish-export.ts';
import { runExport } from './exports/tasks/run-export.ts';
import { clearImportLeftovers } from './imports/tasks/clear-import-leftovers.ts';
import { findLostErrorFiles, findLostImports } from './imports/tasks/find-lost-imports.ts';
import { deleteImported, deliverErrors, finishImport } from './imports/tasks/finish-import.ts';
import { forgetImportPeople } from './imports/tasks/forget-import-people.ts';
import { runImport } from './imports/tasks/run-import.ts';
import { closeMonths } from './invoices/tasks/close-months.ts';
import { startWaitingTasks } from './platform/task-permits.ts';
import type { Task } from './platform/tasks.ts';
import { eraseTraces } from './sending/erase-traces.ts';
import { forgetSingles } from './sending/single-versions.ts';
import { findLostGenerations, generateJob } from './sending/tasks/generate-job.ts';
import { notifyDelivery } from './sending/tasks/notify-delivery.ts';
import { forgetReports } from './statistics/tasks/forget-reports.ts';
import { buildHashIndexTask } from './subscribers/hash-index.ts';
import { buildSearchIndexesTask } from './subscribers/search-store.ts';
import { forgetFieldChanges } from './subscribers/tasks/forget-field-changes.ts';
import { forgetSoftBounces } from './subscribers/tasks/forget-soft-bounces.ts';
import { resolveMailDomains } from './subscribers/tasks/resolve-mail-domains.ts';
import { tidyFilterFiles } from './targets/tidy-filter-files.ts';

/** Every background task of the program. */
export const tasks: readonly Task<never>[] = [
  startWaitingTasks,
  sendPasswordLink,
  forgetAuditEntries,
  foldActivity,
  foldSite,
  forgetHitSources,
  generateJob,
  findLostGenerations,
  forgetSingles,
  markRefused,
  eraseTraces,
  notifyDelivery,
  trimMailbox,
  forgetWebhookRequests,
  checkComplaints,
  reviewAlerts,
  notifyAlert,
  closeMonths,
  forgetReports,
  forgetSoftBounces,
  forgetFieldChanges,
  forgetImportPeople,
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
