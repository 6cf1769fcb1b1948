# Email::Sender and Email::MIME.
use strict;
use warnings;
use Email::MIME;
use Email::Sender::Simple qw(sendmail);
use Email::Sender::Transport::SMTP;
use Encode qw(decode_utf8);

sub content {
    my ($name) = @_;
    open my $file, '<:raw', $name or die "$name: $!";
    local $/;
    return <$file>;
}

sub text {
    my ($name, $type) = @_;
    return Email::MIME->create(
        attributes => { content_type => $type, charset => 'UTF-8', encoding => 'quoted-printable' },
        body_str => decode_utf8(content($name)),
    );
}

my $both = Email::MIME->create(
    attributes => { content_type => 'multipart/alternative' },
    parts => [text('text.txt', 'text/plain'), text('page.html', 'text/html')],
);
my $file = Email::MIME->create(
    attributes => {
        content_type => 'application/octet-stream', disposition => 'attachment', encoding => 'base64',
        filename => 'data.dat',
    },
    body => content('data.dat'),
);
my $email = Email::MIME->create(
    header_str => [
        From => decode_utf8("\"Läden & Co\" <$ENV{SENDER}>"),
        To => $ENV{RECIPIENT},
        Subject => decode_utf8($ENV{SUBJECT}),
    ],
    parts => [$both, $file],
);
my %ssl = (starttls => 'starttls', tls => 'ssl');
sendmail($email, {
    transport => Email::Sender::Transport::SMTP->new({
        host => $ENV{SMTP_HOST}, port => $ENV{SMTP_PORT}, ssl => $ssl{ $ENV{SMTP_TLS} },
        sasl_username => 'any', sasl_password => $ENV{KEY},
    }),
});
