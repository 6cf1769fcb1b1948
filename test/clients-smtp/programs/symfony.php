<?php
// Symfony Mailer, which Laravel uses.
require 'Symfony/Component/Mailer/autoload.php';

use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;

$scheme = ['starttls' => 'smtp', 'tls' => 'smtps'][getenv('SMTP_TLS')];
$dsn = sprintf('%s://any:%s@%s:%d', $scheme, getenv('KEY'), getenv('SMTP_HOST'), getenv('SMTP_PORT'));
$email = (new Email())
    ->from(new Address(getenv('SENDER'), 'Läden & Co'))
    ->to(getenv('RECIPIENT'))
    ->subject(getenv('SUBJECT'))
    ->text(file_get_contents('text.txt'))
    ->html(file_get_contents('page.html'))
    ->attachFromPath('data.dat', 'Beleg für Sie.dat', 'application/octet-stream');
(new Mailer(Transport::fromDsn($dsn)))->send($email);
