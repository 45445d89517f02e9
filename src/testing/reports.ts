/** Reports as mail systems send them, for the tests of the bounces slice. */
export interface DsnParts {
  readonly to: string;
  readonly recipient?: string;
  readonly action?: string;
  readonly status?: string;
  readonly diagnostic?: string;
  readonly messageId?: string;
  readonly type?: string;
  readonly subject?: string;
  /** Header lines above those of the returned message. */
  readonly head?: string;
}

/** A delivery report as Postfix writes it (RFC 3464), with the returned message inside. */
export function dsn(parts: DsnParts): string {
  const {
    to,
    recipient = 'gone@example.test',
    action = 'failed',
    status = '5.1.1',
    type = 'delivery-status',
  } = parts;
  const diagnostic =
    parts.diagnostic ?? 'smtp; 550 5.1.1 <gone@example.test>: Recipient address\n    rejected: User unknown';
  return crlf(`From: MAILER-DAEMON@mx.example.test (Mail Delivery System)
To: ${to}
Subject: ${parts.subject ?? 'Undelivered Mail Returned to Sender'}
Auto-Submitted: auto-replied
Message-ID: ${parts.messageId ?? '<1@mx.example.test>'}
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="B1"

--B1
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mx.example.test.
I'm sorry to have to inform you that your message could not be delivered.

--B1
Content-Description: Delivery report
Content-Type: message/${type}

Reporting-MTA: dns; mx.example.test
Arrival-Date: Fri, 20 Nov 2026 10:00:00 +0100 (CET)

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.example.test
Diagnostic-Code: ${diagnostic}

--B1
Content-Description: Undelivered Message
Content-Type: message/rfc822

${lines(parts.head)}From: News <news@shop.test>
To: ${recipient}
Subject: Your mailbox is full of offers, user unknown, spam
Message-ID: <1.2.3@shop.test>

host not found, quota exceeded
--B1--
`);
}

export interface ComplaintParts {
  readonly to: string;
  readonly feedbackType?: string;
  readonly returnPath?: string;
  /** Additional lines of the feedback report. */
  readonly fields?: string;
  /** Header lines above those of the message that it is about. */
  readonly head?: string;
  /** How that message is enclosed. */
  readonly type?: string;
  readonly body?: string;
}

/** A complaint of a feedback loop (RFC 5965). */
export function complaint(parts: ComplaintParts): string {
  const mailFrom = parts.returnPath && `Original-Mail-From: <${parts.returnPath}>`;
  return crlf(`From: <abusedesk@provider.test>
To: ${parts.to}
Subject: FW: Earn money
Message-ID: <arf.1@provider.test>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="B2"

--B2
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report for a message received from IP 192.0.2.1.

--B2
Content-Type: message/feedback-report

Feedback-Type: ${parts.feedbackType ?? 'abuse'}
User-Agent: SomeGenerator/1.0
Version: 1
${lines(mailFrom)}${lines(parts.fields)}Received-Date: Thu, 8 Mar 2026 14:00:00 EDT

--B2
Content-Type: ${parts.type ?? 'message/rfc822'}

${lines(parts.head)}From: <news@shop.test>
Subject: Earn money
To: <user@example.test>

${parts.body ?? 'Spam Spam Spam'}
--B2--
`);
}

/** A plain message, as auto-responders, people and older mail systems send it. */
export function plain(parts: {
  readonly to: string;
  readonly from?: string;
  readonly subject?: string;
  readonly headers?: string;
  readonly text: string;
}): string {
  return crlf(`From: ${parts.from ?? 'someone@example.test'}
To: ${parts.to}
Subject: ${parts.subject ?? 'Re: News'}
Message-ID: <plain.1@example.test>
${lines(parts.headers)}Content-Type: text/plain; charset=utf-8

${parts.text}
`);
}

const lines = (text: string | undefined) => (text ? `${text}\n` : '');

function crlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}
