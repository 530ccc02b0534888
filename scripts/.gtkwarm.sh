set -e
mkdir -p /tmp/gtkwarm && cd /tmp/gtkwarm
cat > go.mod <<'M'
module warm
go 1.26
M
cat > main.go <<'M'
package main
import (
 "github.com/diamondburned/gotk4/pkg/gtk/v4"
 "github.com/diamondburned/gotk4-adwaita/pkg/adw"
)
func main(){ _ = gtk.NewLabel; _ = adw.NewApplication }
M
go get github.com/diamondburned/gotk4/pkg@v0.3.2-0.20250703063411-16654385f59a github.com/diamondburned/gotk4-adwaita/pkg@v0.0.0-20250703085337-e94555b846b6
go mod tidy
time nice -n 19 go build -p 1 -o /dev/null .
