import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Secret } from '../parts/dialogs.tsx';
import { useSite } from '../session/session.tsx';
import type { DomainKey } from './domains-screen.tsx';
import { useRepositories } from './use-repositories.ts';
import { Verdict } from './verdict.tsx';
import { useSettingsWords } from './words.ts';

type Checked = components['schemas']['DomainRecord'];

/** What to publish in the DNS for a domain, and what is there: its keys, the records for return paths, and DMARC. */
export function DomainRecords({ domain, keys, remove }: DomainRecordsProps) {
  const texts = useSettingsWords().domains;
  const refusal = useRefusal();
  // Return paths are at the service's public address, as the site's own folder is.
  const host = useRepositories().data?.find(({ idRepository }) => idRepository === 0)?.host;
  const [include, setInclude] = useState('');
  const [reports, setReports] = useState('');
  const check = useCheck(keys[0]!.id);
  const of = (kind: Checked['kind'], name?: string) =>
    check.records?.find((one) => one.kind === kind && (name === undefined || one.name === name));
  return (
    <>
      {keys.map((key) => (
        <Record
          key={key.id}
          kind={key.dkimAlgorithm === 'rsa-sha256' ? 'DKIM' : 'DKIM Ed25519'}
          text={texts.dkimText}
          name={key.dnsName ?? ''}
          type="TXT"
          value={key.dnsText ?? ''}
          checked={of('DKIM', key.dnsName ?? '')}
        >
          <Button size="xs" mt={8} onClick={() => remove(key)}>
            {texts.remove}
          </Button>
        </Record>
      ))}
      {host !== undefined && (
        <>
          <Record
            kind="SPF"
            text={texts.spfText}
            name={host}
            type="TXT"
            value={
              include.trim() === ''
                ? (of('SPF')?.value ?? undefined)
                : `v=spf1 include:${include.trim()} -all`
            }
            checked={of('SPF')}
          >
            <TextInput
              mt={8}
              label={texts.include}
              description={texts.includeText}
              placeholder="spf.example.com"
              spellCheck={false}
              autoCapitalize="none"
              value={include}
              onChange={(event) => setInclude(event.currentTarget.value)}
            />
          </Record>
          <Record
            kind="MX"
            text={texts.mxText}
            name={host}
            type="MX"
            value={`10 ${host}.`}
            checked={of('MX')}
          />
        </>
      )}
      <Record
        kind="DMARC"
        text={texts.dmarcText}
        name={`_dmarc.${domain}`}
        type="TXT"
        value={`v=DMARC1; p=none${reports.trim() === '' ? '' : `; rua=mailto:${reports.trim()}`}`}
        checked={of('DMARC')}
      >
        <TextInput
          mt={8}
          type="email"
          label={texts.reports}
          description={texts.reportsText}
          value={reports}
          onChange={(event) => setReports(event.currentTarget.value)}
        />
      </Record>
      <div className="card-body row" aria-live="polite">
        <Button size="xs" loading={check.isRunning} onClick={() => check.run(include.trim())}>
          {texts.checkAgain}
        </Button>
        {check.isRunning && <span className="small text-3">{texts.checking}</span>}
        {check.error && <Verdict colour="red" text={refusal(check.error)} />}
      </div>
    </>
  );
}
interface DomainRecordsProps {
  readonly domain: string;
  /** At least one. */
  readonly keys: readonly DomainKey[];
  readonly remove: (key: DomainKey) => void;
}

/** Compares the records of a domain with the DNS: when it is first shown, and again with `run`. */
function useCheck(idSendingDomain: number) {
  const site = useSite();
  const [include, setInclude] = useState('');
  const query = useQuery({
    queryKey: ['sending-domains', site.name, 'check', idSendingDomain, include],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: () =>
      dataOf(
        api.GET('/admin/v1/sites/{idsite}/sending-domains/{idSendingDomain}/dns', {
          params: { path: { idsite: site.name, idSendingDomain }, query: include === '' ? {} : { include } },
        }),
      ),
  });
  return {
    records: query.data?.records,
    isRunning: query.isFetching,
    error: query.error,
    run: (next: string) => {
      if (next === include) void query.refetch();
      else setInclude(next);
    },
  };
}

const colours = {
  right: 'green',
  missing: 'red',
  different: 'red',
  several: 'red',
  unknown: 'amber',
  unreachable: 'amber',
} as const;

function Record({ kind, text, name, type, value, checked, children }: RecordProps) {
  const texts = useSettingsWords().domains;
  return (
    <div className="record">
      <h3>{kind}</h3>
      <div>
        <p className="small text-2">{text}</p>
        {checked && (
          <div style={{ marginTop: 6 }}>
            <Verdict
              colour={colours[checked.state]}
              text={`${texts.states[checked.state]}. ${texts.reasons[checked.reason](checked.names.join(', '))}`}
            />
          </div>
        )}
        <p className="label text-3" style={{ marginTop: 10 }}>
          {texts.recordName(type)}
        </p>
        <Secret secret={name} what={`${kind}, ${texts.recordName(type)}`} />
        {value !== undefined && (
          <>
            <p className="label text-3" style={{ marginTop: 10 }}>
              {texts.recordValue}
            </p>
            <Secret secret={value} what={`${kind}, ${texts.recordValue}`} />
          </>
        )}
        {checked && checked.state !== 'right' && checked.found.length > 0 && (
          <>
            <p className="label text-3" style={{ marginTop: 10 }}>
              {texts.foundNow}
            </p>
            <ul className="small anywhere">
              {checked.found.map((one, index) => (
                // The DNS may have the same text twice.
                // biome-ignore lint/suspicious/noArrayIndexKey: the list changes as a whole
                <li key={index}>
                  <code className="mono">
                    <bdi>{one}</bdi>
                  </code>
                </li>
              ))}
            </ul>
          </>
        )}
        {children}
      </div>
    </div>
  );
}
interface RecordProps {
  readonly kind: string;
  readonly text: string;
  readonly name: string;
  readonly type: 'TXT' | 'MX';
  /** Undefined until what it needs has been typed. */
  readonly value: string | undefined;
  /** What the DNS has; undefined while that is not known. */
  readonly checked: Checked | undefined;
  readonly children?: ReactNode;
}
