import { Button, Menu, NativeSelect } from '@mantine/core';
import { IconCopy, IconDownload, IconLink, IconSend, IconUsers } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Secret } from '../parts/dialogs.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { useAct } from '../parts/use-act.ts';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { ConfirmSending } from './confirm-sending.tsx';
import { createDraft } from './create-draft.ts';
import { duplicateCampaign } from './duplicate.ts';
import { targetOfOthers } from './people-figure.ts';
import type { Scope } from './report-data.ts';
import { useReportWords } from './report-words.ts';

interface ActionsProps {
  readonly campaign: Campaign;
  readonly scope: Scope;
  readonly withMachines: boolean;
}

/** What to do with a report: export, share, write to those who did not open, send it again, or begin a copy. */
export function ReportActions({ campaign, scope, withMachines }: ActionsProps) {
  const { words } = useWords();
  const report = useReportWords();
  const site = useSite();
  const act = useAct();
  const open = useOpenCampaign();
  const [dialog, setDialog] = useState<'export' | 'page' | 'send'>();
  const { name } = campaign.parameters;
  const writeToOthers = useWriteToOthers(campaign, scope);
  const newest = scope.sendings.at(-1);
  const hasPeople = site.may('editor') && newest !== undefined;
  const isPhone = useIsPhone();
  const others = {
    leftSection: <IconUsers size={16} aria-hidden />,
    onClick: () => act(writeToOthers),
  };
  const duplicate = {
    leftSection: <IconCopy size={16} aria-hidden />,
    onClick: () =>
      act(async () => open(await duplicateCampaign(site.name, campaign.id, words.campaigns.copyOf(name)))),
  };
  return (
    <>
      {site.may('editor') && !isPhone && <Button {...duplicate}>{words.campaigns.duplicate}</Button>}
      {hasPeople && (
        <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={() => setDialog('export')}>
          {report.export}
        </Button>
      )}
      {hasPeople && !isPhone && <Button {...others}>{report.writeOthers}</Button>}
      <RowMenu name={name}>
        {hasPeople && isPhone && <Menu.Item {...others}>{report.writeOthers}</Menu.Item>}
        {site.may('editor') && isPhone && <Menu.Item {...duplicate}>{words.campaigns.duplicate}</Menu.Item>}
        {site.may('sender') && !campaign.parameters.isOneshot && (
          <Menu.Item leftSection={<IconSend size={16} aria-hidden />} onClick={() => setDialog('send')}>
            {report.sendAgain}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconLink size={16} aria-hidden />}
          disabled={!newest}
          onClick={() => setDialog('page')}
        >
          {report.page}
        </Menu.Item>
      </RowMenu>
      <ConfirmSending
        campaign={campaign}
        isOpen={dialog === 'send'}
        close={() => setDialog(undefined)}
        // What was sent is changed in a copy.
        goTo={null}
      />
      {dialog === 'export' && (
        <ExportFigures scope={scope} withMachines={withMachines} close={() => setDialog(undefined)} />
      )}
      {dialog === 'page' && newest && (
        <SharedPage
          make={{ idJob: newest.idJob, idSent: scope.idSent ?? 0, mpp: withMachines }}
          close={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

interface SharedPageProps {
  readonly make: { readonly idJob: number; readonly idSent: number; readonly mpp: boolean };
  readonly close: () => void;
}

/** Says who can see a page of the figures before it makes one, and shows its address. */
function SharedPage({ make, close }: SharedPageProps) {
  const report = useReportWords();
  const site = useSite();
  const act = useAct();
  const [address, setAddress] = useState<string>();
  const share = async () => {
    const params = { path: { idsite: site.name }, query: make };
    const id = await dataOf(api.POST('/v1/{idsite}/statistics/report', { params }));
    setAddress(`${location.origin}/reports/${id}`);
  };
  return (
    <Dialog close={close} title={report.page}>
      <div className="stack tight">
        <p className="text-2">{report.pageText}</p>
        {address ? (
          <Secret secret={address} what={report.page} />
        ) : (
          <div>
            <Button variant="filled" onClick={() => act(share)}>
              {report.makePage}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function useOpenCampaign(): (id: number) => Promise<void> {
  const site = useSite();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (id) => {
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    await navigate({
      to: '/$site/campaigns/$idCampaign',
      params: { site: site.name, idCampaign: String(id) },
    });
  };
}

/** Makes a target of the people who got the message and did not open it, and a draft to them. */
function useWriteToOthers(campaign: Campaign, { sendings }: Scope): () => Promise<void> {
  const { words, format } = useWords();
  const report = useReportWords();
  const site = useSite();
  const queries = useQueryClient();
  const open = useOpenCampaign();
  return async () => {
    const name = report.othersName(campaign.parameters.name).slice(0, 255);
    const ids = sendings.map(({ idSent }) => idSent);
    const { idTarget, count } = await targetOfOthers(site.name, name, ids);
    await queries.invalidateQueries({ queryKey: ['targets', site.name] });
    const draft = await createDraft(site.name, words.composer.starter, { idTarget, name });
    const people = words.campaigns.people(format.count(count), format.isOne(count));
    toast({ text: report.targetMade(name, people), seconds: 10 });
    await open(draft);
  };
}

const exportTypes = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
type ExportType = (typeof exportTypes)[number];

interface ExportProps extends Omit<ActionsProps, 'campaign'> {
  readonly close: () => void;
}

/** Asks what the file lists, and has it written to the default repository. */
function ExportFigures({ scope, withMachines, close }: ExportProps) {
  const report = useReportWords();
  const site = useSite();
  const { user } = useMe();
  const queries = useQueryClient();
  const refusal = useRefusal();
  const [type, setType] = useState<ExportType>(1);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const start = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const query = {
      ...{ idJob: 0, idCampaign: scope.idCampaign, idSent: scope.idSent ?? 0, idLink: 0, idPub: 0 },
      ...{ statType: type, mpp: withMachines },
    };
    try {
      const params = { path: { idsite: site.name }, query };
      await dataOf(api.POST('/v1/{idsite}/statistics/export', { params }));
      await queries.invalidateQueries({ queryKey: ['exports', site.name] });
      toast({ text: report.exported(user.email), seconds: 10 });
      close();
    } catch (failure) {
      setError(refusal(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog close={close} title={report.export}>
      <form className="stack tight" onSubmit={(event) => void start(event)}>
        <NativeSelect
          data-autofocus
          label={report.exportWhat}
          value={type}
          onChange={(event) => setType(Number(event.currentTarget.value) as ExportType)}
          data={exportTypes.map((value) => ({ value: String(value), label: report.exports[value] }))}
        />
        {error !== '' && (
          <p className="note red" role="alert">
            {error}
          </p>
        )}
        <div>
          <Button type="submit" variant="filled" loading={isBusy}>
            {report.export}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
