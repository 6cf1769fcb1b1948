// Go's standard library: net/smtp and mime.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"net/textproto"
	"os"
)

func main() {
	message, err := build()
	if err == nil {
		err = send(message)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func build() ([]byte, error) {
	var message bytes.Buffer
	mixed := multipart.NewWriter(&message)
	fmt.Fprintf(&message, "From: %s <%s>\r\n", mime.QEncoding.Encode("utf-8", "Läden & Co"), os.Getenv("SENDER"))
	fmt.Fprintf(&message, "To: %s\r\n", os.Getenv("RECIPIENT"))
	fmt.Fprintf(&message, "Subject: %s\r\n", mime.QEncoding.Encode("utf-8", os.Getenv("SUBJECT")))
	fmt.Fprintf(&message, "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=%s\r\n\r\n", mixed.Boundary())
	for _, text := range [][2]string{{"text.txt", "text/plain"}, {"page.html", "text/html"}} {
		content, err := os.ReadFile(text[0])
		if err != nil {
			return nil, err
		}
		part, err := mixed.CreatePart(textproto.MIMEHeader{
			"Content-Type":              {text[1] + "; charset=utf-8"},
			"Content-Transfer-Encoding": {"quoted-printable"},
		})
		if err != nil {
			return nil, err
		}
		quoted := quotedprintable.NewWriter(part)
		quoted.Write(content)
		quoted.Close()
	}
	content, err := os.ReadFile("data.dat")
	if err != nil {
		return nil, err
	}
	part, err := mixed.CreatePart(textproto.MIMEHeader{
		"Content-Type":              {"application/octet-stream"},
		"Content-Disposition":       {mime.FormatMediaType("attachment", map[string]string{"filename": "Beleg für Sie.dat"})},
		"Content-Transfer-Encoding": {"base64"},
	})
	if err != nil {
		return nil, err
	}
	encoded := base64.StdEncoding.EncodeToString(content)
	for len(encoded) > 76 {
		fmt.Fprintf(part, "%s\r\n", encoded[:76])
		encoded = encoded[76:]
	}
	fmt.Fprintf(part, "%s\r\n", encoded)
	err = mixed.Close()
	return message.Bytes(), err
}

func send(message []byte) error {
	host := os.Getenv("SMTP_HOST")
	address := net.JoinHostPort(host, os.Getenv("SMTP_PORT"))
	auth := smtp.PlainAuth("", "any", os.Getenv("KEY"), host)
	from, to := os.Getenv("SENDER"), []string{os.Getenv("RECIPIENT")}
	if os.Getenv("SMTP_TLS") == "starttls" {
		return smtp.SendMail(address, auth, from, to, message)
	}
	connection, err := tls.Dial("tcp", address, nil)
	if err != nil {
		return err
	}
	client, err := smtp.NewClient(connection, host)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Auth(auth); err != nil {
		return err
	}
	if err := client.Mail(from); err != nil {
		return err
	}
	if err := client.Rcpt(to[0]); err != nil {
		return err
	}
	writer, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := writer.Write(message); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return client.Quit()
}
